export { attach } from './attach.ts';
export type { AttachEvent, Attachment, AttachOptions, CallRequest, ServerIntroduction } from './attachment.ts';
export { outputValidator } from './output-validator.ts';
