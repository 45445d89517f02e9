/** The health of the relays, below the navigation. */
export const relayHealth = {
  kept: 'Mail stays here',
  answer: 'Relays answer',
  idle: 'Relays idle',
  down: (count: number) => (count === 1 ? 'A relay does not answer' : `${count} relays do not answer`),
};
