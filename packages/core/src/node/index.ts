export { bodyOf, originalUrl } from './framework-request.ts';
export type { HttpListener, HttpListenerOptions, RequestHandler } from './http-listener.ts';
export { contained, listenHttp } from './http-listener.ts';
export type { OpenUrlOptions, Spawn } from './open-url.ts';
export { openUrl } from './open-url.ts';
export type { RequestTarget } from './request-target.ts';
export { readTarget } from './request-target.ts';
export { writeFirstAtOnce, writeTogether } from './write-together.ts';
export { writeWhole } from './write-whole.ts';
