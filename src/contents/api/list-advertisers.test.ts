import { describe } from 'vitest';
import { behavesAsNamedList } from '../../testing/named-list-behaviour.ts';

describe('listAdvertisers', () => {
  behavesAsNamedList('/advertisers', (name) => ({ name }));
});
