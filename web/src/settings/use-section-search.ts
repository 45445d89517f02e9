import { useNavigate, useSearch } from '@tanstack/react-router';
import type { AddressSearch } from '../parts/searched-list.tsx';
import { useSite } from '../session/session.tsx';

/** The sections whose lists the service returns as a whole. */
type Listed = 'domains' | 'fields' | 'relays' | 'tokens' | 'users';

/** The search and page in the address of a section, and a function that changes them. */
export function useSectionSearch(section: Listed) {
  const site = useSite();
  const navigate = useNavigate();
  const search: AddressSearch = useSearch({ from: `/$site/settings/${section}` });
  const change = (next: AddressSearch) =>
    void navigate({
      to: `/$site/settings/${section}`,
      params: { site: site.name },
      search: { ...search, ...next },
      replace: true,
    });
  return { search, change };
}
