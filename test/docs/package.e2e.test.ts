/** The package has the documents it points to. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('links of its documents lead into the package, but for tests, which stay in the repository', () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 24,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }];
  const paths = files.map(file => file.path);
  for (const path of ['README.md', 'LICENSE', 'SECURITY.md', 'docs/README.md']) expect(paths).toContain(path);
  const dead = paths
    .filter(path => path.endsWith('.md'))
    .flatMap(path => {
      const text = readFileSync(join(root, path), 'utf8').replace(/^```[\s\S]*?^```$/gmu, '');
      return [...text.replace(/`[^`\n]*`/gu, '').matchAll(/\]\(([^)\s#]+)/gu)]
        .map(match => match[1]!)
        .filter(link => !/^[a-z]+:/iu.test(link))
        .map(link => relative(root, resolve(root, dirname(path), link)).replaceAll('\\', '/'))
        .filter(to => !to.startsWith('test/') && !paths.some(each => each === to || each.startsWith(`${to}/`)))
        .map(to => `${path} -> ${to}`);
    });
  expect(dead).toEqual([]);
});
