/** The tool that continues a waiting call; listed only for clients that may need it. */
import { forModels } from '@midcall/core/json';
import type { McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Config, RESUME, viewClient } from '../request/index.ts';
import { arrangeTools } from '../sdk-seam/index.ts';
import type { Dispatch, FindTool, ResumeArguments } from './dispatch.ts';
import { notThroughFront, type OwnHandlers } from './own-handlers.ts';

const input = z.strictObject({
  ticket: z.string().describe('The ticket from the text that asked.'),
  action: z
    .enum(['accept', 'decline', 'cancel'])
    .optional()
    .describe(
      'What the person did: accepted, declined, or left it. Only where the text that gave the ticket asks for it.',
    ),
  content: z.record(z.string(), z.unknown()).optional().describe("The person's answers, by field; for accept only."),
});

/** Registers the tool on a wrapped server. */
export function registerResume(server: McpServer, own: OwnHandlers, dispatch: Dispatch, find: FindTool): void {
  const tool = server.registerTool(
    RESUME,
    {
      title: 'Continue a waiting call',
      description:
        'Continues a call that is waiting for somebody to answer, once they have. Only with a ticket that another tool ' +
        'gave, and only with what the person really said or did.',
      inputSchema: input as unknown as StandardSchemaWithJSON<z.infer<typeof input>>,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      _meta: forModels,
    },
    notThroughFront,
  );
  own.tool(RESUME, tool, (args, received, finish) =>
    dispatch.resume(received, args as ResumeArguments, find, RESUME, finish),
  );
}

/**
 * Lists the tool last, since people read the list to see what the server does, and only for clients that may need it.
 * @param server - without tools
 * @param neededBy - which clients may need it
 */
export function listResume(server: McpServer, neededBy: NonNullable<Config['resume']>): void {
  arrangeTools(server, (tools, ctx) => {
    const others = tools.filter(tool => tool.name !== RESUME);
    const { asks, can, tasks } = viewClient(server, ctx);
    // A client whose rounds are used up continues with it, unless its calls become tasks.
    const hidden = neededBy === 'unaskable-client' && can.form && (asks !== 'rounds' || tasks);
    return hidden ? others : [...others, ...tools.filter(tool => tool.name === RESUME)];
  });
}
