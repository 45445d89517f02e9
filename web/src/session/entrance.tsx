import type { ReactNode } from 'react';
import { Mark } from '../shell/mark.tsx';
import { languages } from '../shell/menus.tsx';
import { useWords } from '../words/words.tsx';
import './entrance.css';

/** The page around everything that needs no session: one narrow column. */
export function Entrance({ children }: { readonly children: ReactNode }) {
  const { words, language, setLanguage } = useWords();
  return (
    <div className="entrance">
      <header className="row">
        <Mark />
        <b style={{ fontWeight: 600, flex: 1 }}>Facteur</b>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
        <div className="segments" role="group" aria-label={words.session.language}>
          {languages.map(([code, name]) => (
            <button
              key={code}
              type="button"
              lang={code}
              aria-pressed={language === code}
              onClick={() => setLanguage(code)}
            >
              {name}
            </button>
          ))}
        </div>
      </header>
      <main>{children}</main>
      <footer className="label text-3">{words.session.free}</footer>
    </div>
  );
}
