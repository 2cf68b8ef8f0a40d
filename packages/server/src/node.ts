/** `@midcall/server/node`: MCP over HTTP in a Node process. */
export { type NodeHandler, nodeHandler } from './http/node-handler.ts';
export { type EndpointsServing, type HttpServing, type Listening, serveEndpoints, serveHttp } from './http/serve.ts';
