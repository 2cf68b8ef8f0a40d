/** The shop that the servers of the migration pages work for. */
export interface Order {
  readonly id: string;
  readonly label: string;
  readonly euros: number;
}

export type Refund = 'card' | 'voucher';

export interface Shop {
  find(customer: string): readonly Order[];
  cancel(order: Order, refund: Refund): void;
}

/** A shop in which Ada has two orders. */
export function sampleShop(): Shop {
  const open = new Map([
    ['o1', { id: 'o1', label: 'Boots', euros: 120 }],
    ['o2', { id: 'o2', label: 'Tent', euros: 340 }],
  ]);
  return {
    find: customer => (customer === 'Ada' ? [...open.values()] : []),
    cancel: order => void open.delete(order.id),
  };
}
