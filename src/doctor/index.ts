export type { Report, ReportLine } from './report.ts';
export { type DoctorOptions, doctorServer } from './server.ts';
