/**
 * What a server with cards lists for clients that show Apps, and for no others: the App with each tool whose results it shows, and
 * the tool by which it answers, which no model is offered.
 */
import type { McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { CARD_TOOL, CARD_URI, cardResource, forApps, notTaken, reported, withCard } from '../questions/index.ts';
import { APP_TYPE, viewClient } from '../request/index.ts';
import { arrangeTools } from '../sdk-seam/index.ts';
import type { Dispatch, FindTool, ResumeArguments } from './dispatch.ts';
import { type Finish, notThroughFront, type OwnHandlers, type Received, toolError } from './own-handlers.ts';

const input = z.strictObject({
  ticket: z.string().describe('The ticket in the _meta of the result that the App shows.'),
  action: z.enum(['accept', 'decline', 'cancel']).optional().describe('What the person did.'),
  content: z.record(z.string(), z.unknown()).optional().describe("The person's answers, by field; for accept only."),
  shown: z.literal(true).optional().describe('Says that the person sees the form, and answers nothing.'),
});

type CardArguments = z.infer<typeof input>;

/** The tool as a server registers it. */
const cardTool = {
  title: 'Answer a question',
  description:
    'Takes the answer that the person gives in the form of Midcall. Only that form can call it, with a ticket that no text contains.',
  inputSchema: input as unknown as StandardSchemaWithJSON<CardArguments>,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  _meta: forApps,
};

/** Answers a call of the tool. */
async function answerByCard(
  args: CardArguments,
  received: Received,
  { dispatch, find, finish }: { readonly dispatch: Dispatch; readonly find: FindTool; readonly finish: Finish },
): Promise<unknown> {
  const { shown, ...answer } = args;
  // What the handler throws is its result, and not a refusal of the answer.
  const end: Finish = outcome => {
    const result = 'error' in outcome && notTaken(outcome.error);
    return result ? { result } : finish(outcome);
  };
  if (!shown) return dispatch.resume(received, answer as ResumeArguments, find, CARD_TOOL, end);
  const final = await dispatch.seen(received, args.ticket, find).then(
    told => end({ result: reported(told) }),
    (error: unknown) => end({ error }),
  );
  if ('error' in final) throw final.error;
  return final.result;
}

/** Registers the tool and the App on a wrapped server. */
export function registerCard(server: McpServer, own: OwnHandlers, dispatch: Dispatch, find: FindTool): void {
  const tool = server.registerTool(CARD_TOOL, cardTool, notThroughFront);
  own.tool(CARD_TOOL, tool, (args, received, finish) =>
    answerByCard(args as CardArguments, received, { dispatch, find, finish }),
  );
  server.registerResource('midcall_card', CARD_URI, { title: 'Question', mimeType: APP_TYPE }, cardResource);
}

/**
 * @param server - without tools
 * @param hasCard - true for a tool whose results our App shows
 */
export function listCards(server: McpServer, hasCard: (name: string) => boolean): void {
  arrangeTools(server, (tools, ctx) => listedWithCards(tools, viewClient(server, ctx).apps, hasCard));
}

type Listed = { readonly name: string; readonly _meta?: Readonly<Record<string, unknown>> };

function listedWithCards<T extends { readonly name: string }>(
  tools: readonly T[],
  showsApps: boolean,
  hasCard: (name: string) => boolean,
): readonly T[] {
  if (!showsApps) return tools.filter(({ name }) => name !== CARD_TOOL);
  const listed = tools.map(tool => (hasCard(tool.name) ? { ...tool, _meta: withCard((tool as Listed)._meta) } : tool));
  // People read the list to see what the server does.
  return [...listed.filter(({ name }) => name !== CARD_TOOL), ...listed.filter(({ name }) => name === CARD_TOOL)];
}

/** The tools of a gateway as a client is to see them. */
export function listedByGateway(tools: readonly Listed[], showsApps: boolean, hasCard: (name: string) => boolean) {
  if (!showsApps) return tools;
  const { inputSchema: _, ...about } = cardTool;
  const own = { name: CARD_TOOL, ...about, inputSchema: z.toJSONSchema(input, { io: 'input' }) };
  return [...listedWithCards(tools, true, hasCard).filter(({ name }) => name !== CARD_TOOL), own];
}

/** Answers a call of the tool at a gateway, which registers no tools. */
export async function answerAtGateway(
  received: Received,
  { dispatch, find }: { readonly dispatch: Dispatch; readonly find: FindTool },
): Promise<unknown> {
  const read = input.safeParse(received.params.arguments ?? {});
  const finish: Finish = outcome => ('error' in outcome ? { result: toolError(outcome.error) } : outcome);
  if (!read.success) return toolError(new Error(z.prettifyError(read.error)));
  return answerByCard(read.data, received, { dispatch, find, finish });
}
