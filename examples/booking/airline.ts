/** The airline of this example, in memory: seats that others want too. */

const rows = [1, 2, 3, 4, 5, 6];
const seats = rows.flatMap(row => ['A', 'B', 'C', 'D'].map(letter => `${row}${letter}`));

/** What the booking asks of an airline. */
export interface Airline {
  freeSeats(): Promise<string[]>;
  isFree(seat: string): Promise<boolean>;
  /** @returns false where somebody else was faster; true also where this passenger holds the seat already */
  hold(seat: string, trip: string, passenger: string): Promise<boolean>;
  release(trip: string): Promise<void>;
  /** Turns what is held into tickets; again the same number for the same trip. */
  issue(trip: string): Promise<string>;
  /** Who holds each seat that is not free. */
  readonly held: ReadonlyMap<string, string>;
}

/**
 * @param rushed - seats that a stranger takes: one as soon as somebody looks whether it is free, the other as soon as somebody
 *   wants to hold it
 */
export function airline(rushed: { readonly whenLooked: string; readonly whenHeld: string }): Airline {
  const held = new Map<string, string>();
  const issued = new Map<string, string>();
  const free = (seat: string) => !held.has(seat);
  return {
    held,
    freeSeats: async () => seats.filter(free),
    async isFree(seat) {
      if (seat === rushed.whenLooked && free(seat)) held.set(seat, 'a stranger');
      return free(seat);
    },
    async hold(seat, trip, passenger) {
      const holder = `${trip}, ${passenger}`;
      if (seat === rushed.whenHeld && free(seat)) held.set(seat, 'a stranger');
      if (free(seat)) held.set(seat, holder);
      return held.get(seat) === holder;
    },
    async release(trip) {
      for (const [seat, by] of held) if (by.startsWith(`${trip}, `)) held.delete(seat);
    },
    async issue(trip) {
      const number = issued.get(trip) ?? `TRIP-${issued.size + 1}`;
      issued.set(trip, number);
      return number;
    },
  };
}
