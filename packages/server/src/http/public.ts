/** `@midcall/server/http`: MCP over HTTP on any platform with web-standard requests, both revisions at one address. */

export type { Health } from './endpoint.ts';
export { type HttpOptions, type McpEndpoint, mcpEndpoint, type RequestExtras } from './endpoint.ts';
export type { EventStoreOptions } from './event-store.ts';
export type { Refusal } from './refusal.ts';
export type { SessionOptions } from './sessions.ts';
export type { Outgoing, UnreadOptions } from './unread-bytes.ts';
