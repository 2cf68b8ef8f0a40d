export { Asking, type Notice } from './asking.ts';
export { UrlFlow } from './url-flow.ts';
