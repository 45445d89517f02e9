import { serviceEvents } from './service-events.ts';
import { serviceRefusals } from './service-refusals.ts';
import { serviceRules } from './service-rules.ts';

/** The sentences of the service in French. */
export const serviceSentences = { ...serviceRules, ...serviceRefusals, ...serviceEvents };
