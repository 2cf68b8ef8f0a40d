/** `@midcall/server/node`: MCP over HTTP in a Node process, both revisions at one address. */
export { type HttpOptions, type McpEndpoint, mcpEndpoint } from './endpoint.ts';
export type { EventStoreOptions } from './event-store.ts';
export { type EndpointsServing, type HttpServing, type Listening, serveEndpoints, serveHttp } from './serve.ts';
export type { SessionOptions } from './sessions.ts';
