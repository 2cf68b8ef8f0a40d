/** What the commands say on a Node that cannot run them; a preloaded module changes the version that they see. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const at = (path: string) => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));

function runOn(version: string, command: string, ...words: string[]) {
  const versions = `{ ...process.versions, node: '${version}' }`;
  const preload = `Object.defineProperty(process, 'versions', { value: ${versions} });`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, command, ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', input: '' });
  return { status, stdout, stderr };
}

it.each(['18.20.8', '20.18.3', '21.7.3', '22.11.0'])(
  'the commands say which Node they need on Node %s, and load nothing',
  version => {
    const needs = /Node 22\.12 or newer/;
    const command = runOn(version, at('midcall/bin/midcall.js'), '--version');
    expect(command).toEqual({ status: 70, stdout: '', stderr: expect.stringMatching(needs) });
    const create = runOn(version, at('create-midcall/bin/create-midcall.js'), '--help');
    expect(create).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(needs) });
    for (const { stderr } of [command, create]) expect(stderr).toContain(`this is ${version}.\n`);
  },
);

it.each(['20.19.0', '22.12.0', '23.0.0', '24.1.0'])('the commands run on Node %s', version => {
  expect(runOn(version, at('midcall/bin/midcall.js'), '--version')).toMatchObject({ status: 0, stderr: '' });
  expect(runOn(version, at('create-midcall/bin/create-midcall.js'), '--help')).toMatchObject({ status: 0, stderr: '' });
});
