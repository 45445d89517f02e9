import { Affiliation } from './affiliation.ts';
import { RecordStore } from './record-store.ts';

export const affiliations = new RecordStore<Affiliation>(
  'affiliation',
  'Affiliation',
  Affiliation.properties,
);
