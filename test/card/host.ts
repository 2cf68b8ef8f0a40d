/** A browser with the minimal host of ./host-page.ts in it, connected to a server whose tool asks on cards. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Frame } from 'playwright-core';
import { rolldown } from 'rolldown';
import { nextPage, type Visitor } from '../web/browser.ts';
import { CARD, type CardData, cardScene, type SceneOptions } from './scene.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let script: Promise<string> | undefined;

async function bundled(): Promise<string> {
  const input = fileURLToPath(new URL('host-page.ts', import.meta.url));
  const bundle = await rolldown({ input, platform: 'browser', onLog() {} });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  await bundle.close();
  return output[0].code;
}

type Members = Record<string, unknown>;

export interface ShowOptions {
  readonly theme?: 'light' | 'dark';
  readonly times?: number;
  /** What the host takes besides calls: `context`, `message`, `link`. */
  readonly takes?: string[];
}

/** @param anybody - whose next page it is */
export async function cardHost(anybody: Visitor, options: SceneOptions) {
  script ??= bundled();
  const scene = await cardScene({ start: Date.now(), ...options });
  const person = await nextPage(anybody);
  const { page, troubles } = person;
  const requests: string[] = [];
  page.on('request', request => requests.push(request.url()));
  /** Calls of the App, and the results that it got. */
  const calls: { readonly params: Members; readonly result: Members }[] = [];
  await page.exposeFunction('callTool', async (params: Members) => {
    const result = (await scene.pair.client.callTool(params as never)) as Members;
    calls.push({ params, result });
    return result;
  });
  await page.setContent('<!doctype html><html lang="en"><title>Host</title><body style="margin:8px">');
  await page.addScriptTag({ content: await script });
  const html = async (): Promise<string> => {
    const { contents } = await scene.pair.client.readResource({ uri: 'ui://midcall/card' });
    return (contents[0] as { text: string }).text;
  };
  const frame = (): Frame => page.frames().find(each => each !== page.mainFrame())!;
  const show = async (
    result: Members,
    args: Members,
    { theme = 'light', ...how }: ShowOptions = {},
  ): Promise<Frame> => {
    await page.evaluate(([a, b, c, d]) => window.showApp(a, b, c, d), [
      await html(),
      args,
      result,
      { theme, ...how },
    ] as const);
    return frame();
  };
  return {
    ...scene,
    page,
    calls,
    troubles,
    /** Addresses that the page or the App has asked for. */
    requests,
    frame,
    show,
    /** Calls the tool, and shows its result in the App. */
    async open(args: Members = { wall: 'north' }, how: ShowOptions = {}) {
      const result = (await scene.pair.client.callTool({ name: 'paint', arguments: args })) as Members;
      const app = await show(result, args, how);
      return { app, result, card: (result['_meta'] as Members | undefined)?.[CARD] as CardData | undefined };
    },
    told: () => page.evaluate(() => window.told),
    async violations(): Promise<readonly string[]> {
      const app = frame();
      await app.evaluate(axe);
      const run = (await app.evaluate(
        "axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })",
      )) as {
        readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
      };
      return run.violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`);
    },
    async close() {
      await person[Symbol.asyncDispose]();
      await scene.pair.close();
    },
  };
}
