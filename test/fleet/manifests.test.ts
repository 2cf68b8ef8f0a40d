/** The Compose file and the Kubernetes manifest that docs/deploy.md links to. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const textOf = (name: string) => readFileSync(new URL(`../../examples/fleet/deploy/${name}`, import.meta.url), 'utf8');

it('the Compose file has a Redis that keeps what it acknowledged, one key for all replicas, and a balancer that asks /healthz', () => {
  const { services } = parse(textOf('compose.yaml'));
  expect(services.redis.command).toContain('--appendonly yes');
  expect(services.redis.command).toContain('--maxmemory-policy noeviction');
  expect(services.redis.command).toContain('--stream-node-max-bytes 256 --hash-max-listpack-value 1024');
  expect(services.server.deploy.replicas).toBeGreaterThan(1);
  expect(Object.keys(services.server.environment)).toEqual(['MIDCALL_KEY', 'REDIS_URL']);
  expect(services.server.environment.MIDCALL_KEY).toMatch(/^\$\{MIDCALL_KEY:\?/);
  const balancer = textOf('haproxy.cfg');
  expect(balancer).toContain('balance roundrobin');
  expect(balancer).toContain('httpchk GET /healthz');
  expect(balancer).toContain(`server-template replica ${services.server.deploy.replicas} `);
});

it('the Kubernetes manifest asks /healthz, drains before it ends, takes its key from a secret, and has no session affinity', () => {
  const [deployment, service] = parseAllDocuments(textOf('kubernetes.yaml')).map(document => document.toJS());
  const { spec } = deployment.spec.template;
  const [container] = spec.containers;
  expect(container.readinessProbe.httpGet).toEqual({ path: '/healthz', port: container.ports[0].containerPort });
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(10 + Number(container.lifecycle.preStop.exec.command[1]));
  expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
  for (const { valueFrom } of container.env) expect(valueFrom.secretKeyRef.name).toBe('mcp-server');
  expect(service.spec.sessionAffinity).toBe('None');
  expect(service.spec.selector).toEqual(deployment.spec.selector.matchLabels);
  expect(service.spec.ports[0].targetPort).toBe(container.ports[0].containerPort);
});
