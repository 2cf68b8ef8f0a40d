/** Everything a server offers, list by list. */
import type { Client, Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/client';
import type { ListName, ListProblem } from './list-problem.ts';

/** What a server offers. */
export interface Catalogue {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplateType[];
  /** The lists that could not be read, which are empty here; lists that a server does not declare are not requested. */
  readonly problems: readonly ListProblem[];
}

/**
 * Reads the lists that a server declares; one that fails does not affect the others.
 * @param problem - why a list could not be read; undefined if the server just does not have it
 */
export async function readCatalogue(
  client: Client,
  problem: (list: ListName, error: unknown) => string | undefined,
): Promise<Catalogue> {
  const can = client.getServerCapabilities() ?? {};
  const problems: ListProblem[] = [];
  const read = async <T>(list: ListName, declared: unknown, ask: () => Promise<readonly T[]>) => {
    if (!declared) return [];
    try {
      return await ask();
    } catch (error) {
      const why = problem(list, error);
      if (why !== undefined) problems.push({ list, why });
      return [];
    }
  };
  const [tools, prompts, resources, resourceTemplates] = await Promise.all([
    read('tools', can.tools, async () => (await client.listTools()).tools),
    read('prompts', can.prompts, async () => (await client.listPrompts()).prompts),
    read('resources', can.resources, async () => (await client.listResources()).resources),
    read('resource templates', can.resources, async () => (await client.listResourceTemplates()).resourceTemplates),
  ]);
  return { tools, prompts, resources, resourceTemplates, problems };
}
