import { describe } from 'vitest';
import { behavesAsNamedList } from '../../testing/named-list-behaviour.ts';

describe('listAffiliations', () => {
  behavesAsNamedList('/affiliations', (name) => ({ name, webSite: 'https://brings.example/' }));
});
