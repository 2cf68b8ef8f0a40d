/** Judges how pages of a person's inbox look, and takes pictures of them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { type Look, violations, wrongInLook } from './browser.ts';

/** Where pictures of every page go. */
const pictures = process.env['MIDCALL_PICTURES'];
const looks: readonly Look[] = ([1440, 1024, 360] as const).flatMap(width =>
  (['light', 'dark'] as const).map(colorScheme => ({ colorScheme, viewport: { width, height: 860 } })),
);

/** What axe and the eye find wrong with a page, and pictures of it. */
export async function judged(page: Page, name: string): Promise<void> {
  expect([name, await violations(page)]).toEqual([name, []]);
  for (const look of pictures === undefined ? few(looks, looks[0]!, looks.at(-1)!) : looks) {
    expect([name, await wrongInLook(page, look)]).toEqual([name, []]);
    if (pictures === undefined) continue;
    mkdirSync(pictures, { recursive: true });
    const path = join(pictures, `${name}-${look.viewport.width}-${look.colorScheme}.png`);
    await page.screenshot({ path, fullPage: true });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 720 });
}
