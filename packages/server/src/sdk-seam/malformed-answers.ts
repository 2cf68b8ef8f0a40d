/**
 * Answers that are no object at all. The SDK takes `inputResponses` out of the parameters of every request and makes an empty
 * object of anything else, so that a handler could not tell the two apart: here it is taken away first, and the handler finds
 * that there is none.
 *
 * What this relies on in the SDK is tested in test/server/tasks.test.ts.
 */
import type { McpServer } from '@modelcontextprotocol/server';

interface Request {
  readonly method: string;
  readonly params?: { readonly inputResponses?: unknown };
}

interface SdkServer {
  _onrequest(request: Request, extra: unknown): void;
}

/** Takes malformed `inputResponses` out of the requests of a method. */
export function dropMalformedAnswers(server: McpServer, method: string): void {
  const sdk = server.server as unknown as SdkServer;
  const receive = sdk._onrequest.bind(sdk);
  sdk._onrequest = (request, extra) => {
    const { params } = request;
    if (request.method !== method || !params || isObject(params.inputResponses)) return receive(request, extra);
    const { inputResponses: _, ...rest } = params;
    receive({ ...request, params: rest }, extra);
  };
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
