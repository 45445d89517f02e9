import type { Advertiser } from './advertiser.ts';
import { RecordStore } from './record-store.ts';

export const advertisers = new RecordStore<Advertiser>('advertiser', 'Advertiser', {
  id: 'id',
  name: 'name',
  sector: 'sector',
});
