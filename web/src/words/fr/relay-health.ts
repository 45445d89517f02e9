import type { relayHealth as english } from '../en/relay-health.ts';

export const relayHealth: typeof english = {
  kept: 'Le courrier reste ici',
  answer: 'Les relais répondent',
  idle: 'Relais au repos',
  down: (count) => (count === 1 ? 'Un relais ne répond pas' : `${count} relais ne répondent pas`),
};
