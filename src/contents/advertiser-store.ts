import { Advertiser } from './advertiser.ts';
import { RecordStore } from './record-store.ts';

export const advertisers = new RecordStore<Advertiser>('advertiser', 'Advertiser', Advertiser.properties);
