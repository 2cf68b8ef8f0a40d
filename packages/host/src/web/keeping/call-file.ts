/**
 * The calls of earlier sessions, one line of JSON each, in a file that only its owner can read.
 *
 * - call-file-C1 The file holds a limited number of calls; the oldest go first. A call with a large result is stored without
 *   it.
 * - call-file-C2 Arguments that may contain a secret are stored masked, and the questions of a call are not stored.
 * - call-file-C3 A line that cannot be parsed, such as one that a crash cut off, is ignored.
 * - call-file-C4 A call is stored when it begins, and again when it has ended. One whose process is gone without that is in doubt:
 *   it is read as abandoned.
 */
import { appendFile, readFile, rm } from 'node:fs/promises';
import { fromJson, isRecord, isTexts } from '@midcall/core/json';
import { isMark, mayRun, ownMark, type ProcessMark, writeWhole } from '@midcall/core/node';
import { type CallContext, type CallOutcome, fileChanges, maskedArguments } from '../../index.ts';
import { isOfferKind } from './offer-kind.ts';

/** A call as it is stored. */
export interface StoredCall {
  readonly context: CallContext;
  /** What its server calls it in words. */
  readonly title?: string;
  readonly serverId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds since the epoch. */
  readonly endedAt?: number;
  /** Absent if it has not ended. */
  readonly outcome?: CallOutcome;
}

/** Where a desk stores its calls. */
export interface CallMemory {
  /** Those that have ended, oldest first. */
  read(): Promise<readonly StoredCall[]>;
  /** Stores a call that begins, or one that has ended, in place of what is stored of it. */
  add(call: StoredCall): Promise<void>;
  clear(): Promise<void>;
}

/** The most calls that are stored, and the most characters of one. */
const [mostCalls, mostCharacters] = [1_000, 64_000];
/** How many calls are added between two checks of their number. */
const checkEvery = 200;

const ends: readonly unknown[] = [
  'completed',
  'tool-error',
  'refused',
  'cancelled',
  'timed-out',
  'abandoned',
  'server-gone',
];

function isCall(value: unknown): value is StoredCall {
  if (!isRecord(value)) return false;
  const { context, serverId, startedAt, outcome, title } = value;
  if (!isRecord(context) || (title !== undefined && typeof title !== 'string')) return false;
  if (outcome === undefined ? !isMark(value['by']) : !isRecord(outcome) || !ends.includes(outcome['how'])) return false;
  const hasNames = isTexts([context['id'], context['name'], serverId]);
  const how = isRecord(outcome) ? outcome['how'] : undefined;
  const whole = how === 'completed' || how === 'tool-error' ? isRecord((outcome as { result?: unknown }).result) : true;
  return (
    hasNames && whole && isOfferKind(context['kind']) && isRecord(context['arguments']) && Number.isFinite(startedAt)
  );
}

function lineOf({ context, title, serverId, startedAt, endedAt, outcome }: StoredCall): string | undefined {
  const stored = {
    context: { ...context, arguments: maskedArguments(context.arguments) },
    title,
    serverId,
    startedAt,
    endedAt,
    // Whoever reads it finds out whether the process that runs it is gone.
    ...(!outcome && { by: ownMark() }),
  };
  const whole = written({ ...stored, outcome });
  if (whole !== undefined && whole.length <= mostCharacters) return whole;
  const without = outcome && 'result' in outcome ? { ...outcome, result: { tooLarge: true } } : outcome;
  const rest = written({ ...stored, outcome: without });
  return rest !== undefined && rest.length <= mostCharacters ? rest : undefined;
}

/** A value that is nested deeper than the stack cannot be written. */
function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** A call as it is read: none that is still running (call-file-C4). */
function endedOrInDoubt(call: StoredCall): readonly StoredCall[] {
  if (call.outcome) return [call];
  const { by, ...rest } = call as StoredCall & { readonly by: ProcessMark };
  if (mayRun(by)) return [];
  const message = 'The process that made this call is gone, so how it ended is not known. It may have taken effect.';
  return [{ ...rest, outcome: { how: 'abandoned', message, inDoubt: true } }];
}

/**
 * Stores calls in a file, for {@link DeskOptions.calls}.
 * @example
 * ```ts
 * const desk = await startDesk({ ...parts, calls: callFile('/home/ada/.local/share/my-host/calls.jsonl') });
 * ```
 */
export function callFile(path: string): CallMemory {
  let added = 0;
  const lines = async (): Promise<readonly string[]> => {
    try {
      return (await readFile(path, 'utf8')).split('\n').filter(line => line !== '');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  };
  const change = fileChanges(path);
  const understood = (line: string): readonly StoredCall[] => {
    const call = fromJson(line);
    return isCall(call) ? [call] : [];
  };
  /** The last line of each call. */
  const newest = (
    all: readonly string[],
  ): ReadonlyMap<string, { readonly line: string; readonly call: StoredCall }> => {
    const byId = new Map<string, { readonly line: string; readonly call: StoredCall }>();
    for (const line of all) {
      const [call] = understood(line);
      if (!call) continue;
      byId.delete(call.context.id);
      byId.set(call.context.id, { line, call });
    }
    return byId;
  };
  return {
    async read() {
      const calls = [...newest(await lines()).values()].flatMap(({ call }) => endedOrInDoubt(call));
      return calls.slice(-mostCalls);
    },
    async add(call) {
      const line = lineOf(call);
      if (line === undefined) return;
      await change(async () => {
        // The leading line break ends a line that a crash cut off.
        await appendFile(path, `\n${line}\n`, { mode: 0o600 });
        added += 1;
        if (added % checkEvery !== 1) return;
        const all = await lines();
        if (all.length <= mostCalls) return;
        const newestLines = [...newest(all).values()].map(each => each.line).slice(-mostCalls);
        await writeWhole(path, `${newestLines.join('\n')}\n`);
      });
    },
    clear: () => change(() => rm(path, { force: true })),
  };
}
