/** The host quick start's other half: what a person has settled beforehand, and what is written down. */
// #region options
import { Audit, attach, auditFile, machineDisk, OfferedRoots, Policy } from '@midcall/host';

export async function attachPerson(client, { inbox, model, folder, log }) {
  const policy = new Policy({ limits: { perWindow: 10 } }); // questions in a minute
  policy.add({ server: 'tables', subject: 'sampling', effect: 'refuse' });
  const roots = new OfferedRoots({ disk: machineDisk });
  const root = await roots.add(folder);
  await roots.grant('tables', [root.uri]);
  return attach(client, {
    server: { id: 'tables', origin: 'node server.mjs' },
    inbox,
    policy,
    roots,
    sampling: { model, budget: { requests: 20 } },
    audit: new Audit({ sink: auditFile(log) }),
  });
}
// #endregion
