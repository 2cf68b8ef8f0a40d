export {
  contained,
  type HttpListener,
  type HttpListenerOptions,
  listenHttp,
  type RequestHandler,
} from './http-listener.ts';
export { isInternalHost } from './internal-host.ts';
export { bodyOf, originalUrl, type RequestTarget, readTarget } from './node-request.ts';
export { hasBrowser, type OpenUrlOptions, openUrl, type Spawn } from './open-url.ts';
export { isMark, mayRun, ownMark, type ProcessMark } from './process-mark.ts';
export { isSameSecret } from './same-secret.ts';
export { writeFirstAtOnce, writeTogether } from './write-together.ts';
export { draftIn, writeWhole } from './write-whole.ts';
