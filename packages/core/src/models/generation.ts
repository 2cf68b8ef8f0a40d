/**
 * What a model generated, folded from either version of the interface and from a whole reply or a stream into one shape.
 */

import { isRecord } from '../json/index.ts';
import type { ProviderData, RawGeneration } from './language-model.ts';

export type GeneratedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly data: string }
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly name: string;
      /** JSON text, as the model wrote it. */
      readonly input: string;
      readonly providerData?: ProviderData;
    };

export interface Generation {
  readonly parts: readonly GeneratedPart[];
  /** `stop`, `length`, `content-filter`, `tool-calls`, `error`, `other` or `unknown`. */
  readonly finish: string;
  /** The provider's own word for it, where known. */
  readonly rawFinish: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly modelId: string | undefined;
  readonly warnings: readonly unknown[];
}

/** Folds a whole reply. */
export function foldGeneration(raw: RawGeneration): Generation {
  return fold(raw.content, raw, raw.response?.modelId, raw.warnings);
}

/**
 * Reads a stream to its end. A stream that ends without a reason has broken off.
 * @throws whatever the stream reports as its error, and the signal's reason once it has fired
 */
export async function collectGeneration(
  stream: ReadableStream<{ readonly type: string }>,
  signal: AbortSignal,
): Promise<Generation> {
  const reader = stream.getReader();
  const texts = new Map<unknown, { type: 'text'; text: string }>();
  const content: { readonly type: string }[] = [];
  let warnings: readonly unknown[] = [];
  let modelId: string | undefined;
  let end: unknown = { finishReason: 'error' };
  const stop = (): void => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      const part = value as Record<string, unknown>;
      if (part['type'] === 'text-start') {
        const text = { type: 'text' as const, text: '' };
        texts.set(part['id'], text);
        content.push(text);
      } else if (part['type'] === 'text-delta') {
        const text = texts.get(part['id']);
        if (text) text.text += String(part['delta']);
      } else if (part['type'] === 'tool-call' || part['type'] === 'file') content.push(value);
      else if (part['type'] === 'stream-start' && Array.isArray(part['warnings'])) warnings = part['warnings'];
      else if (part['type'] === 'response-metadata') modelId = stringIn(part, 'modelId') ?? modelId;
      else if (part['type'] === 'finish') end = part;
      else if (part['type'] === 'error') throw part['error'];
    }
  } finally {
    signal.removeEventListener('abort', stop);
    reader.cancel().catch(() => {});
  }
  return fold(content, end as Record<string, unknown>, modelId, warnings);
}

function fold(
  content: readonly { readonly type: string }[],
  end: { readonly finishReason?: unknown; readonly usage?: unknown; readonly providerMetadata?: unknown },
  modelId: string | undefined,
  warnings: readonly unknown[],
): Generation {
  const finish = isRecord(end.finishReason) ? stringIn(end.finishReason, 'unified') : end.finishReason;
  return {
    parts: content.flatMap(foldPart),
    finish: typeof finish === 'string' ? finish : 'error',
    rawFinish:
      (isRecord(end.finishReason) ? stringIn(end.finishReason, 'raw') : undefined) ??
      rawFromMetadata(end.providerMetadata),
    inputTokens: tokens(end.usage, 'inputTokens'),
    outputTokens: tokens(end.usage, 'outputTokens'),
    modelId,
    warnings,
  };
}

function foldPart(part: object): GeneratedPart[] {
  const { type, text, mediaType, data, toolCallId, toolName, input, providerMetadata } = part as Record<
    string,
    unknown
  >;
  if (type === 'text' && typeof text === 'string' && text !== '') return [{ type, text }];
  if (type === 'file' && typeof mediaType === 'string') {
    const base64 = data instanceof Uint8Array ? Buffer.from(data).toString('base64') : String(data);
    return [{ type, mediaType, data: base64 }];
  }
  if (type === 'tool-call' && typeof toolCallId === 'string' && typeof toolName === 'string') {
    const written = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    const providerData = isRecord(providerMetadata) ? { providerData: providerMetadata as ProviderData } : {};
    return [{ type, id: toolCallId, name: toolName, input: written, ...providerData }];
  }
  return [];
}

/** A v2 model says `stop` for a stop sequence too; its provider's metadata may tell them apart. */
function rawFromMetadata(metadata: unknown): string | undefined {
  if (!isRecord(metadata)) return undefined;
  const hit = Object.values(metadata).some(each => isRecord(each) && typeof each['stopSequence'] === 'string');
  return hit ? 'stop_sequence' : undefined;
}

/** A count in either spelling: a number (v2) or `{ total }` (v3). */
function tokens(usage: unknown, name: 'inputTokens' | 'outputTokens'): number | undefined {
  if (!isRecord(usage)) return undefined;
  const count = isRecord(usage[name]) ? usage[name]['total'] : usage[name];
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}

function stringIn(source: Record<string, unknown>, name: string): string | undefined {
  return typeof source[name] === 'string' && source[name] !== '' ? source[name] : undefined;
}
