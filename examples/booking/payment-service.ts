/** The payment service of this example, in memory: on a bad day, and as one that removes duplicates by their key. */

/** One charge. */
export interface Charge {
  readonly key: string;
  readonly cents: number;
  readonly signal: AbortSignal;
}

/** What the booking asks of a payment service. */
export interface PaymentService {
  /** Charges at most once for each key. @returns the receipt */
  charge(charge: Charge): Promise<string>;
  /** Attempts at each charge, in order. */
  readonly attempts: readonly number[];
}

/** A service that does not answer the first attempt at a charge, and is busy at the second. */
export function paymentService(): PaymentService {
  const charges = new Map<string, { attempts: number; receipt?: string }>();
  return {
    get attempts() {
      return [...charges.values()].map(each => each.attempts);
    },
    async charge({ key, signal }) {
      const charge = charges.get(key) ?? { attempts: 0 };
      charges.set(key, charge);
      charge.attempts += 1;
      if (charge.attempts === 1) {
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }
      if (charge.attempts === 2) throw new Error('The payment service is busy.');
      charge.receipt ??= `R-${charges.size}`;
      return charge.receipt;
    },
  };
}
