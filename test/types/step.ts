/** What a step gives back, as its type says it. Checked by tsc; nothing here runs. */
import type { Jsonified } from '@midcall/server';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

// What JSON carries is itself.
type Note = { id: string; tags: string[]; note: string | undefined };
same<Jsonified<{ id: string; tags: string[]; note: string | undefined }>, Note>(true);
same<Jsonified<number | null>, number | null>(true);
same<Jsonified<void>, undefined>(true);

// What says itself what it becomes.
same<Jsonified<{ at: Date; of: URL }>, { at: string; of: string }>(true);

// What JSON would lose: such a step fails, so nothing comes back.
same<Jsonified<Map<string, number>>, never>(true);
same<Jsonified<{ seen: Set<string> }>, { seen: never }>(true);
same<Jsonified<{ n: bigint; f: () => void; s: symbol }>, { n: never; f: never; s: never }>(true);
same<Jsonified<Error>, never>(true);
same<Jsonified<Uint8Array>, never>(true);
