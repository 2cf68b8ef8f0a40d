/** Notifications of one person, as the pages of their inbox show them. */
import type { PersonNotifications } from '@midcall/host/web';
import type { Deliveries, PushKeys } from '../store/index.ts';
import type { Poster } from './guarded-post.ts';
import { noPushAddress, push, readSubscription } from './push.ts';

/** What the pages work with. */
export interface NotificationParts {
  readonly deliveries: Deliveries;
  readonly poster: Poster;
  /** Absent where browsers cannot subscribe. */
  readonly pushKeys: (() => Promise<PushKeys & { readonly contact: string }>) | undefined;
  /** Those who are testing a device. */
  readonly testing: Set<string>;
}

const testText = { title: 'Midcall', body: 'Notifications work on this device.' };

export function personNotifications(
  principal: string,
  { deliveries, poster, pushKeys, testing }: NotificationParts,
): PersonNotifications {
  return {
    publicKey: async () => (await pushKeys?.())?.publicKey,
    async devices() {
      return (await deliveries.devices(principal)).map(({ subscription, ...device }) => ({
        ...device,
        name: subscription.name,
      }));
    },
    async turnOn(text, name) {
      if (!pushKeys) return noPushAddress;
      const subscription = readSubscription(text, name);
      if (!subscription) return 'The browser did not say how this device is reached.';
      const why = poster.whyNot(subscription.endpoint);
      if (why === undefined) await deliveries.turnOn(principal, subscription);
      return why;
    },
    turnOff: device => deliveries.turnOff(principal, device),
    async test(id) {
      const device = (await deliveries.devices(principal)).find(each => each.id === id);
      if (!device || !pushKeys) return 'Notifications are off on this device.';
      if (testing.has(principal)) return 'Another test is under way.';
      testing.add(principal);
      const outcome = await push(poster, device.subscription, await pushKeys(), testText).finally(() =>
        testing.delete(principal),
      );
      if (outcome === 'sent') return undefined;
      if (outcome !== 'gone') return outcome.why;
      await deliveries.turnOff(principal, id);
      return 'It does not know this device any more. Turn notifications on again.';
    },
  };
}
