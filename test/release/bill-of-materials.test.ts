/** What a released package leads to, and no more. */
import { expect, it } from 'vitest';
import { type BillOfMaterials, shipped } from '../../tools/bill-of-materials.ts';

const component = (name: string) => ({ 'bom-ref': `${name}@1.0.0`, name: name.replace('@mine/', '') });
const leadsTo = (name: string, ...others: string[]) => ({
  ref: `${name}@1.0.0`,
  dependsOn: others.map(other => `${other}@1.0.0`),
});
const all: BillOfMaterials = {
  metadata: { component: { 'bom-ref': 'workspace@1.0.0', name: 'folder' } },
  components: ['@mine/server', '@mine/core', 'zod', 'hono', 'sdk', 'vitest', 'chai', 'router'].map(component),
  dependencies: [
    leadsTo('workspace', '@mine/server', '@mine/core', 'vitest'),
    leadsTo('@mine/server', '@mine/core', 'sdk', 'hono'),
    leadsTo('@mine/core'),
    leadsTo('sdk', 'zod', 'router'),
    leadsTo('router', 'sdk'),
    leadsTo('vitest', 'chai', 'zod'),
    leadsTo('chai'),
    leadsTo('zod'),
    leadsTo('hono'),
  ],
};
const server = {
  name: '@mine/server',
  dependencies: { '@mine/core': '1.0.0' },
  peerDependencies: { sdk: '^1', hono: '^1' },
  peerDependenciesMeta: { hono: { optional: true } },
};

it('the bill of materials has what the package needs and what that needs, also where a development dependency needs it too', () => {
  const bill = shipped(all, '@mine/server', [server]);
  expect(bill.metadata.component).toEqual({ 'bom-ref': '@mine/server@1.0.0', name: '@mine/server' });
  expect(bill.components.map(each => each.name)).toEqual(['@mine/core', 'zod', 'sdk', 'router']);
  expect(bill.dependencies).toEqual([
    leadsTo('@mine/server', '@mine/core', 'sdk'),
    leadsTo('@mine/core'),
    leadsTo('sdk', 'zod', 'router'),
    leadsTo('zod'),
    leadsTo('router', 'sdk'),
  ]);
});

it('the bill of materials fails for a package that the repository does not have', () => {
  expect(() => shipped(all, '@mine/host', [])).toThrow('has no @mine/host');
});
