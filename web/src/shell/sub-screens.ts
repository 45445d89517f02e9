import { useQuery } from '@tanstack/react-query';
import { libraryParts } from '../library/parts.ts';
import { useLibraryWords } from '../library/words.ts';
import { useMe } from '../session/session.tsx';
import { type SectionPath, sectionsFor } from '../settings/sections.ts';
import { useSettingsWords } from '../settings/words.ts';
import { useWords } from '../words/words.tsx';

/** A screen below a place of the navigation. */
export interface SubScreen {
  /** Its name after that of its place. */
  readonly name: string;
  readonly to: SectionPath | (typeof libraryParts)[number][1];
}

/** The parts of the library and the sections of the settings; none until their names are loaded. */
export function useSubScreens(): readonly SubScreen[] {
  const me = useMe();
  const { language, words } = useWords();
  const { places } = words.shell;
  const { data } = useQuery({
    queryKey: ['sub-screens', language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const [library, settings] = await Promise.all([useLibraryWords.load(), useSettingsWords.load()]);
      return { parts: library.parts, sections: settings.sections };
    },
  });
  if (!data) return [];
  return [
    ...libraryParts.map(([id, to]) => ({ name: `${places.library} · ${data.parts[id]}`, to })),
    ...sectionsFor(me).map(({ id, to }) => ({ name: `${places.settings} · ${data.sections[id]}`, to })),
  ];
}
