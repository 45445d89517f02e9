-- Field 42 of subscribers whose postcode is written with blanks: an update makes a generated column anew.
update subscriber set fld40 = fld40 where fld42 is distinct from facteur.french_department(fld40, fld41);
