/** `@midcall/server/node`: MCP over HTTP, and over standard input and output, in a Node process. */
export { type NodeHandler, nodeHandler } from './http/node-handler.ts';
export { type EndpointsServing, type HttpServing, type Listening, serveEndpoints, serveHttp } from './http/serve.ts';
export { type StdioOptions, type StdioServing, serveStdio } from './serving/serve-stdio.ts';
