/** Withdraws the pages of a call that is over. */
import type { Journal } from '../../engine/index.ts';
import type { Config } from '../../request/index.ts';
import type { Plan } from './plan.ts';

/** Withdraws the pages in a journal; one that is finished stays as it is. Never rejects. */
export async function withdrawPages(journal: Journal, { pages, waiting }: Pick<Config, 'pages' | 'waiting'>) {
  for (const { kind, value } of journal) {
    const plan = kind === 'url' ? (value as unknown as Partial<Plan> | null) : undefined;
    if (plan?.kind !== 'announced') continue;
    const { pageId } = (plan as Extract<Plan, { kind: 'announced' }>).at;
    await waiting.remove({ kind: 'page', ref: pageId });
    await pages?.withdraw(pageId).catch(() => false);
  }
}
