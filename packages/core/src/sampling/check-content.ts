/**
 * Reads one content block of a message, a result or a tool result (schema.json, `SamplingMessageContentBlock` and
 * `ContentBlock`), and a message's content in either spelling.
 */
import { isRecord } from '../json/index.ts';
import { type Findings, isSafeJson, quoted, readExtras, readJsonObject, readString } from './findings.ts';
import type { SamplingContent, ToolOutputContent } from './wire.ts';

/** UTF-16 units in one text, and base64 characters in one image or sound. */
const textLimit = 4_000_000;
const dataLimit = 40_000_000;
const blockLimit = 1_000;

/** Reads `content`: one block or an array. An empty array is an issue unless `mayBeEmpty`. */
export function readContent(
  findings: Findings,
  at: string,
  value: unknown,
  mayBeEmpty: boolean,
): SamplingContent | readonly SamplingContent[] | undefined {
  if (value === undefined) return findings.add(at, 'required', 'A message needs content.');
  if (!Array.isArray(value)) return readBlock(findings, at, value);
  if (value.length === 0 && !mayBeEmpty) return findings.add(at, 'empty', 'A message needs at least one block.');
  if (value.length > blockLimit) return findings.add(at, 'size', `A message may have at most ${blockLimit} blocks.`);
  const blocks = value.map((each, index) => readBlock(findings, `${at}[${index}]`, each));
  return blocks.every(block => block !== undefined) ? blocks : undefined;
}

function readBlock(findings: Findings, at: string, value: unknown): SamplingContent | undefined {
  if (!isRecord(value)) return findings.add(at, 'type', 'A content block must be an object.');
  switch (value['type']) {
    case 'text':
    case 'image':
    case 'audio':
      return readSimple(findings, at, value, value['type']);
    case 'tool_use': {
      const id = readId(findings, `${at}.id`, value['id']);
      const name = readId(findings, `${at}.name`, value['name']);
      const input = readJsonObject(findings, `${at}.input`, value['input']);
      const extras = readExtras(findings, at, value, ['_meta']);
      if (id === undefined || name === undefined || !input) return undefined;
      return { type: 'tool_use', id, name, input, ...extras };
    }
    case 'tool_result':
      return readToolResult(findings, at, value);
    default:
      return findings.add(`${at}.type`, 'type', 'A block must be one of text, image, audio, tool_use and tool_result.');
  }
}

function readToolResult(findings: Findings, at: string, value: Record<string, unknown>): SamplingContent | undefined {
  const toolUseId = readId(findings, `${at}.toolUseId`, value['toolUseId']);
  const extras = readExtras(findings, at, value, ['_meta']);
  const { content, structuredContent, isError } = value;
  if (isError !== undefined && typeof isError !== 'boolean')
    return findings.add(`${at}.isError`, 'type', 'This must be true or false.');
  if (!isSafeJson(findings, `${at}.structuredContent`, structuredContent)) return undefined;
  if (!Array.isArray(content))
    return findings.add(`${at}.content`, 'type', 'The content of a tool result must be an array of blocks.');
  if (content.length > blockLimit)
    return findings.add(`${at}.content`, 'size', `A tool result may have at most ${blockLimit} blocks.`);
  const blocks = content.map((each, index) => readToolOutput(findings, `${at}.content[${index}]`, each));
  if (toolUseId === undefined || !blocks.every(block => block !== undefined)) return undefined;
  return {
    type: 'tool_result',
    toolUseId,
    content: blocks,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError }),
    ...extras,
  };
}

/** Reads one block of what a tool hands back: text, image, audio, a link to a resource, or a resource. */
export function readToolOutput(findings: Findings, at: string, value: unknown): ToolOutputContent | undefined {
  if (!isRecord(value)) return findings.add(at, 'type', 'A content block must be an object.');
  switch (value['type']) {
    case 'text':
    case 'image':
    case 'audio':
      return readSimple(findings, at, value, value['type']);
    case 'resource_link':
      return readLink(findings, at, value);
    case 'resource':
      return readResource(findings, at, value);
    default:
      return findings.add(
        `${at}.type`,
        'type',
        'A block of a tool result must be one of text, image, audio, resource_link and resource.',
      );
  }
}

function readSimple(
  findings: Findings,
  at: string,
  value: Record<string, unknown>,
  type: 'text' | 'image' | 'audio',
): (SamplingContent & ToolOutputContent) | undefined {
  const extras = readExtras(findings, at, value, ['_meta', 'annotations']);
  if (type === 'text') {
    const text = readString(findings, `${at}.text`, value['text'], textLimit);
    return text === undefined ? undefined : { type, text, ...extras };
  }
  const data = readBase64(findings, `${at}.data`, value['data']);
  const mimeType = readMimeType(findings, `${at}.mimeType`, value['mimeType'], type);
  return data === undefined || mimeType === undefined ? undefined : { type, data, mimeType, ...extras };
}

function readLink(findings: Findings, at: string, value: Record<string, unknown>): ToolOutputContent | undefined {
  const uri = readString(findings, `${at}.uri`, value['uri'], 8_000);
  const name = readString(findings, `${at}.name`, value['name'], 8_000);
  if (uri === undefined || name === undefined || !isSafeJson(findings, at, value)) return undefined;
  const { title, description, mimeType, size, icons } = value;
  return {
    type: 'resource_link',
    uri,
    name,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof mimeType === 'string' ? { mimeType } : {}),
    ...(typeof size === 'number' ? { size } : {}),
    ...(Array.isArray(icons) ? { icons: icons.filter(isRecord) } : {}),
    ...readExtras(findings, at, value, ['_meta', 'annotations']),
  };
}

function readResource(findings: Findings, at: string, value: Record<string, unknown>): ToolOutputContent | undefined {
  const inner = value['resource'];
  if (!isRecord(inner)) return findings.add(`${at}.resource`, 'type', 'This must be an object.');
  const uri = readString(findings, `${at}.resource.uri`, inner['uri'], 8_000);
  const { mimeType } = inner;
  if ((inner['text'] === undefined) === (inner['blob'] === undefined))
    return findings.add(`${at}.resource`, 'required', 'A resource must have either text or blob.');
  const body =
    inner['text'] === undefined
      ? { blob: readBase64(findings, `${at}.resource.blob`, inner['blob']) }
      : { text: readString(findings, `${at}.resource.text`, inner['text'], textLimit) };
  if (uri === undefined || (body.blob ?? body.text) === undefined) return undefined;
  return {
    type: 'resource',
    resource: {
      uri,
      ...(typeof mimeType === 'string' ? { mimeType } : {}),
      ...(body as { readonly text: string } | { readonly blob: string }),
      ...readExtras(findings, `${at}.resource`, inner, ['_meta']),
    },
    ...readExtras(findings, at, value, ['_meta', 'annotations']),
  };
}

/** An id or a tool's name: 1 to 256 UTF-16 units. */
export function readId(findings: Findings, at: string, value: unknown): string | undefined {
  const id = readString(findings, at, value, 256);
  return id === '' ? findings.add(at, 'empty', 'This must not be empty.') : id;
}

function readBase64(findings: Findings, at: string, value: unknown): string | undefined {
  const data = readString(findings, at, value, dataLimit);
  if (data === undefined) return undefined;
  if (data.length === 0 || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data))
    return findings.add(at, 'base64', 'This must be base64, with padding and without line breaks.');
  return data;
}

function readMimeType(findings: Findings, at: string, value: unknown, family: 'image' | 'audio'): string | undefined {
  const mimeType = readString(findings, at, value, 200);
  if (mimeType === undefined) return undefined;
  if (!mimeType.startsWith(`${family}/`) || !/^[a-z]+\/[\w!#$&^.+-]+(?:;[\x20-\x7e]*)?$/i.test(mimeType))
    return findings.add(at, 'mime-type', `${quoted(mimeType)} is not a MIME type of the ${family} family.`);
  return mimeType;
}
