/** Everything a server offers, list by list. */
import { invalidListReason } from '@midcall/core/sdk-seam';
import { visible } from '@midcall/core/text';
import {
  type Client,
  type Prompt,
  ProtocolErrorCode,
  type Resource,
  type ResourceTemplateType,
  SdkErrorCode,
  type Tool,
} from '@modelcontextprotocol/client';
import { describedRefusal } from '../sdk-seam/index.ts';

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

/** The kinds of list. */
export type ListName = 'tools' | 'prompts' | 'resources' | 'resource templates';

/** A list that could not be read. */
export interface ListProblem {
  readonly list: ListName;
  /** One sentence without a capital; quotes the server if it gave a reason. */
  readonly why: string;
}

/**
 * Says why a list could not be read, in words to follow a colon.
 * @returns undefined if nothing is wrong: templates are optional, and no capability declares them
 */
export function listProblem(list: ListName, error: unknown): string | undefined {
  const { code, message } =
    describedRefusal(error) ?? (error as { readonly code?: unknown; readonly message?: unknown });
  if (code === ProtocolErrorCode.MethodNotFound) {
    if (list === 'resource templates') return undefined;
    return `the server declares ${list} but does not implement the list.`;
  }
  if (code === SdkErrorCode.RequestTimeout) return 'the server did not answer in time.';
  if (code === SdkErrorCode.InvalidResult) return invalidListReason(String(message));
  return `the server answered “${visible(String(message), { max: 300 })}”.`;
}
