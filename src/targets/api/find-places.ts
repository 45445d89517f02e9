import { siteOperation } from '../../platform/http/operation.ts';
import { Line, Query, Type } from '../../platform/http/schema.ts';
import { FoundPlace, findPlaces as find } from '../places/postcode-store.ts';

export const findPlaces = siteOperation({
  id: 'findPlaces',
  method: 'GET',
  path: '/places',
  right: 'read',
  tag: 'Targets',
  summary: 'Find places by a part of their name',
  description:
    'Searches the loaded postcodes, ignoring case and accents, and returns at most 20 places with their postcodes, ' +
    'which the geolocation filter accepts. Places whose name begins with the text come first.',
  query: Query({ name: Line(100, 'A part of the name; empty returns none') }),
  reply: Type.Array(FoundPlace),
  handle: async ({ app, query }) => {
    const part = query.name.trim();
    return part === '' ? [] : find(app.control, part);
  },
});
