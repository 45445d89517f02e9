import type { Affiliation } from './affiliation.ts';
import { RecordStore } from './record-store.ts';

export const affiliations = new RecordStore<Affiliation>('affiliation', 'Affiliation', {
  id: 'id',
  name: 'name',
  webSite: 'web_site',
});
