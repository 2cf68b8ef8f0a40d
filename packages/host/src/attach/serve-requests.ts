/** What a client declares to its server, and the handlers of the requests that this leads to. */
import { type Client, type CreateMessageResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { TappedRequest } from '../calls/index.ts';
import type { ElicitationMode } from '../question/index.ts';
import { placeholders } from '../sdk-seam/index.ts';
import { tasksExtension } from '../tasks/index.ts';
import type { Answering } from './answering.ts';
import type { AttachOptions } from './attachment.ts';

interface ServeRequestsOptions {
  readonly options: Pick<AttachOptions, 'roots' | 'sampling' | 'declares'>;
  readonly modes: readonly ElicitationMode[];
  readonly answering: Answering;
  /** The request as it was on the wire; undefined if it did not come through the tap. */
  readonly taken: (meta: unknown) => TappedRequest | undefined;
  /** Has an answer leave in place of the one that the SDK is given. */
  readonly answered: (request: TappedRequest, answer: object) => void;
  /** Resolves when the round of a form or URL is in the store. */
  readonly settled: () => Promise<void>;
}

/** Declares capabilities, and has `answering` answer the requests. */
export function serveRequests(client: Client, parts: ServeRequestsOptions): void {
  const { options, modes, answering, settled } = parts;
  const { roots, sampling, declares } = options;
  // Forms alone are declared without a mode, as in every revision: servers of 2025-06-18 may refuse a client that names modes.
  const formsAlone = modes.every(mode => mode === 'form');
  client.registerCapabilities({
    elicitation: formsAlone ? {} : Object.fromEntries(modes.map(mode => [mode, {}])),
    ...(roots && { roots: {} }),
    ...(declares?.experimental && { experimental: declares.experimental }),
    extensions: { ...declares?.extensions, [tasksExtension]: {} },
    ...(sampling && { sampling: sampling.model.tools ? { tools: {} } : {} }),
  });
  const tappedRequest = (sent: { readonly _meta?: unknown }): TappedRequest => {
    const request = parts.taken(sent._meta);
    if (!request)
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The request did not come through this connection.');
    return request;
  };
  client.setRequestHandler('elicitation/create', async (_, { mcpReq }) => {
    const request = tappedRequest(mcpReq);
    await settled();
    parts.answered(request, await answering.elicit(request, mcpReq.signal));
    return placeholders.answer;
  });
  if (roots)
    client.setRequestHandler('roots/list', (_, { mcpReq }) => answering.roots(tappedRequest(mcpReq), mcpReq.signal));
  if (sampling)
    client.setRequestHandler('sampling/createMessage', async (_, { mcpReq }) => {
      return (await answering.sample(tappedRequest(mcpReq), mcpReq.signal)) as CreateMessageResult;
    });
}
