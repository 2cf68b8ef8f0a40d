/** The SDK's package for Node's HTTP, which only a server over HTTP needs. */
import { needed } from '@midcall/core/errors';

const sdk = await needed(
  '@midcall/server/node',
  '@modelcontextprotocol/node',
  () => import('@modelcontextprotocol/node'),
);

export const {
  hostHeaderValidation,
  NodeStreamableHTTPServerTransport,
  originValidation,
  toNodeHandler,
  toWebRequest,
} = sdk;
