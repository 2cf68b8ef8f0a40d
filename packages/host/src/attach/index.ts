export { attach } from './attach.ts';
export {
  type AttachEvent,
  type Attachment,
  type AttachOptions,
  attachKinds,
  type CallRequest,
  type ServerIntroduction,
} from './attachment.ts';
export { outputValidator } from './output-validator.ts';
