/** The world of this example, on a day on which everything happens. */
import { airline } from './airline.ts';
import { paymentService } from './payment-service.ts';
import type { BookingOptions } from './server.ts';

/** A seat is gone when it is looked at, another when it is to be held; the payment service is silent, and then busy. */
export const badDay = (): BookingOptions => ({
  airline: airline({ whenLooked: '3C', whenHeld: '5D' }),
  payments: paymentService(),
  chargeMs: 300,
});
