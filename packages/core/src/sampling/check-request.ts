/**
 * Judges a sampling request: before it is sent, and again on arrival (client/sampling, "Protocol Messages", "Message
 * Content Constraints", "Model Preferences"; schema.json, `CreateMessageRequestParams`). The SDK checks shapes only.
 */
import { isRecord } from '../json/index.ts';
import { checkBalance } from './balance.ts';
import { readContent, readId } from './check-content.ts';
import {
  Findings,
  isSafeJson,
  quoted,
  readExtras,
  readJsonObject,
  readString,
  type SamplingCheck,
} from './findings.ts';
import type {
  ModelPreferences,
  SamplingCapability,
  SamplingMessage,
  SamplingRequest,
  SamplingToolDefinition,
  ToolChoice,
} from './wire.ts';

const messageLimit = 1_000;
const toolLimit = 256;
const promptLimit = 1_000_000;

/**
 * Checks the params of `sampling/createMessage`.
 * @param params - untrusted
 * @param capability - what the client declares under `sampling`; `tools` decides whether tools may appear, `context`
 *   whether `includeContext` is kept. A sender passes no `context`, so that the member is never sent.
 * @returns the request rebuilt from known members and the names of those that were set and are ignored; or every issue
 */
export function checkRequest(params: unknown, capability: SamplingCapability): SamplingCheck<SamplingRequest> {
  const findings = new Findings();
  if (!isRecord(params)) {
    findings.add('params', 'type', 'The parameters of a sampling request must be an object.');
    return { ok: false, issues: findings.issues };
  }
  const ignored: string[] = [];
  const messages = readMessages(findings, params['messages']);
  if (messages) checkBalance(findings, messages);
  const maxTokens = readMaxTokens(findings, params['maxTokens']);
  if (!capability.tools && (params['tools'] !== undefined || params['toolChoice'] !== undefined))
    findings.add('tools', 'tools-undeclared', 'The client does not take tools: it has not declared sampling.tools.');
  const includeContext = readIncludeContext(findings, params['includeContext'], capability, ignored);
  const optional = {
    ...readOptional(findings, params),
    ...readTools(findings, params),
    ...readExtras(findings, 'params', params, ['_meta']),
    ...(includeContext && { includeContext }),
  };
  if (findings.issues.length > 0 || !messages || maxTokens === undefined) return { ok: false, issues: findings.issues };
  return { ok: true, value: { messages, maxTokens, ...optional }, ignored };
}

function readMessages(findings: Findings, value: unknown): readonly SamplingMessage[] | undefined {
  if (value === undefined) return findings.add('messages', 'required', 'A sampling request needs messages.');
  if (!Array.isArray(value)) return findings.add('messages', 'type', 'The messages must be an array.');
  if (value.length === 0) return findings.add('messages', 'empty', 'A sampling request needs at least one message.');
  if (value.length > messageLimit)
    return findings.add('messages', 'size', `A sampling request may have at most ${messageLimit} messages.`);
  const messages = value.map((each, index) => readMessage(findings, `messages[${index}]`, each));
  return messages.every(message => message !== undefined) ? messages : undefined;
}

function readMessage(findings: Findings, at: string, value: unknown): SamplingMessage | undefined {
  if (!isRecord(value)) return findings.add(at, 'type', 'A message must be an object.');
  const content = readContent(findings, `${at}.content`, value['content'], false);
  const extras = readExtras(findings, at, value, ['_meta']);
  const { role } = value;
  if (role !== 'user' && role !== 'assistant')
    return findings.add(
      `${at}.role`,
      'role',
      'A message must come from the user or the assistant; there is no other role.',
    );
  return content && { role, content, ...extras };
}

function readMaxTokens(findings: Findings, value: unknown): number | undefined {
  if (value === undefined) return findings.add('maxTokens', 'required', 'A sampling request needs maxTokens.');
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    return findings.add('maxTokens', 'range', 'maxTokens must be a whole number of 1 or more.');
  return value;
}

function readOptional(findings: Findings, params: Record<string, unknown>): Partial<SamplingRequest> {
  const { systemPrompt, temperature, stopSequences, metadata, modelPreferences } = params;
  const prompt =
    systemPrompt === undefined ? undefined : readString(findings, 'systemPrompt', systemPrompt, promptLimit);
  if (temperature !== undefined && (typeof temperature !== 'number' || !Number.isFinite(temperature)))
    findings.add('temperature', 'type', 'The temperature must be a number.');
  if (stopSequences !== undefined && !isStringArray(stopSequences))
    findings.add('stopSequences', 'type', 'Stop sequences must be an array of at most 100 texts.');
  const extras = metadata === undefined ? undefined : readJsonObject(findings, 'metadata', metadata);
  const preferences = modelPreferences === undefined ? undefined : readPreferences(findings, modelPreferences);
  return {
    ...(prompt !== undefined && { systemPrompt: prompt }),
    ...(temperature !== undefined && { temperature: temperature as number }),
    ...(stopSequences !== undefined && { stopSequences: stopSequences as readonly string[] }),
    ...(extras && { metadata: extras }),
    ...(preferences && { modelPreferences: preferences }),
  };
}

function isStringArray(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length <= 100 &&
    value.every(each => typeof each === 'string' && each.length <= 10_000)
  );
}

function readPreferences(findings: Findings, value: unknown): ModelPreferences | undefined {
  const at = 'modelPreferences';
  if (!isRecord(value)) return findings.add(at, 'type', 'Model preferences must be an object.');
  const preferences: { -readonly [K in keyof ModelPreferences]: ModelPreferences[K] } = {};
  for (const name of ['costPriority', 'speedPriority', 'intelligencePriority'] as const) {
    const priority = value[name];
    if (priority === undefined) continue;
    if (typeof priority !== 'number' || !(priority >= 0 && priority <= 1))
      findings.add(`${at}.${name}`, 'range', 'A priority must be a number from 0 to 1.');
    else preferences[name] = priority;
  }
  const { hints } = value;
  if (hints === undefined) return preferences;
  if (!Array.isArray(hints) || hints.length > 100)
    return findings.add(`${at}.hints`, 'type', 'Hints must be an array of at most 100 objects.');
  preferences.hints = hints.flatMap((hint, index) => {
    const { name } = isRecord(hint) ? hint : {};
    if (isRecord(hint) && (name === undefined || (typeof name === 'string' && name.length <= 256)))
      return [name === undefined ? {} : { name }];
    findings.add(`${at}.hints[${index}]`, 'type', 'A hint must be an object whose name is a short text.');
    return [];
  });
  return preferences;
}

function readIncludeContext(
  findings: Findings,
  value: unknown,
  capability: SamplingCapability,
  ignored: string[],
): 'thisServer' | 'allServers' | undefined {
  if (value === undefined || value === 'none') return undefined;
  if (value !== 'thisServer' && value !== 'allServers')
    return findings.add('includeContext', 'type', 'includeContext must be none, thisServer or allServers.');
  if (capability.context) return value;
  ignored.push('includeContext');
  return undefined;
}

function readTools(
  findings: Findings,
  params: Record<string, unknown>,
): { readonly tools?: readonly SamplingToolDefinition[]; readonly toolChoice?: ToolChoice } {
  const tools = params['tools'] === undefined ? undefined : readDefinitions(findings, params['tools']);
  const choice = params['toolChoice'];
  if (choice === undefined) return tools ? { tools } : {};
  const mode = isRecord(choice) ? choice['mode'] : null;
  if (mode !== undefined && mode !== 'auto' && mode !== 'required' && mode !== 'none') {
    findings.add('toolChoice', 'type', 'The mode of the tool choice must be auto, required or none.');
    return {};
  }
  if (mode === 'required' && !tools?.length)
    findings.add('toolChoice', 'choice-without-tools', 'A tool is required, but the request offers none.');
  return { ...(tools && { tools }), toolChoice: mode === undefined ? {} : { mode } };
}

function readDefinitions(findings: Findings, value: unknown): readonly SamplingToolDefinition[] | undefined {
  if (!Array.isArray(value)) return findings.add('tools', 'type', 'The tools must be an array.');
  if (value.length > toolLimit) return findings.add('tools', 'size', `A request may offer at most ${toolLimit} tools.`);
  const names = new Set<string>();
  const tools = value.map((each, index) => {
    const tool = readDefinition(findings, `tools[${index}]`, each);
    if (tool && names.has(tool.name))
      findings.add(`tools[${index}].name`, 'tool-duplicate', `Two tools are called ${quoted(tool.name)}.`);
    if (tool) names.add(tool.name);
    return tool;
  });
  return tools.every(tool => tool !== undefined) ? tools : undefined;
}

function readDefinition(findings: Findings, at: string, value: unknown): SamplingToolDefinition | undefined {
  if (!isRecord(value)) return findings.add(at, 'type', 'A tool must be an object.');
  const name = readId(findings, `${at}.name`, value['name']);
  const inputSchema = readJsonObject(findings, `${at}.inputSchema`, value['inputSchema']);
  if (inputSchema && inputSchema['type'] !== 'object')
    return findings.add(`${at}.inputSchema`, 'type', 'The schema of a tool’s arguments must have the type object.');
  const { title, description, outputSchema } = value;
  for (const [key, text] of Object.entries({ title, description }))
    if (text !== undefined) readString(findings, `${at}.${key}`, text, 100_000);
  if (!isSafeJson(findings, `${at}.outputSchema`, outputSchema) || name === undefined || !inputSchema) return undefined;
  return {
    name,
    inputSchema,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(isRecord(outputSchema) && { outputSchema }),
    ...readExtras(findings, at, value, ['annotations', '_meta']),
  };
}
