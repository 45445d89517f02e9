import { describe } from 'vitest';
import { behavesAsNamedList } from '../../testing/named-list-behaviour.ts';

describe('listThematics', () => {
  behavesAsNamedList('/thematics', (name) => ({ name }));
});
