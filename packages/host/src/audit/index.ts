export { Audit, type AuditVerdict } from './audit.ts';
export type { AuditEntry, HostEvent } from './audit-entry.ts';
export { callEnded, callStarted } from './audit-entry.ts';
