/** The shop that the guide's servers work for. */
export interface Order {
  readonly id: string;
  readonly label: string;
}

export interface Shop {
  find(customer: string): Order[];
  cancel(id: string): void;
}

export const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
