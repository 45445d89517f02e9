-- subscribe and resubscribe took an empty origin, which is no value: filters would find it.
update subscriber set fld5 = nullif(fld5, ''), fld6 = nullif(fld6, '') where fld5 = '' or fld6 = '';
