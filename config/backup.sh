#!/bin/sh
# Backs up and restores the database by its own tools and the media by tar. Work continues during a backup.
#   config/backup.sh write FOLDER     into a new folder: database.dump (PostgreSQL) or db.sqlite3, media.tar, SHA256SUMS
#   config/backup.sh restore FOLDER   into an empty database, and into a media folder that may exist
# DATABASE_URL, DATABASE_PASSWORD or DATABASE_PASSWORD_FILE, VAR_DIR and MEDIA_ROOT are those of the app.
set -eu
umask 077
cd "$(dirname "$0")/.."
# The settings of a server that is installed from packages.
if [ -z "${DATABASE_URL:-}" ] && [ -r /etc/anatomark.env ]; then
  set -a
  . config/deploy/packages/environment
  . /etc/anatomark.env
  set +a
fi
var=${VAR_DIR:-var}
media=${MEDIA_ROOT:-media}
fail() { echo "$*" >&2; exit 1; }
[ $# -eq 2 ] && [ -n "$2" ] || fail "usage: make backup FOLDER=…, make restore FOLDER=…"
task=$1
folder=$2

case ${DATABASE_URL:-} in
  postgres*) file=database.dump ;;
  sqlite:///*) file=db.sqlite3; database=${DATABASE_URL#sqlite:///} ;;
  "") file=db.sqlite3; database=$var/db.sqlite3 ;;
  *) fail "DATABASE_URL names neither PostgreSQL nor SQLite." ;;
esac
if [ -n "${DATABASE_PASSWORD_FILE:-}" ]; then
  PGPASSWORD=$(cat "$DATABASE_PASSWORD_FILE"); export PGPASSWORD
elif [ -n "${DATABASE_PASSWORD:-}" ]; then
  export PGPASSWORD=$DATABASE_PASSWORD
fi

write() {
  [ ! -e "$folder" ] || fail "$folder exists. Name a new folder."
  part=$folder.part
  rm -rf "$part"
  mkdir -p "$part"
  # The database first: files are stored before the rows that name them.
  if [ "$file" = database.dump ]; then
    pg_dump --format=custom --exclude-table-data=django_session --dbname="$DATABASE_URL" --file="$part/$file"
  else
    [ -f "$database" ] || fail "There is no database at $database."
    # SQLite's online backup; VACUUM INTO would need Django's functions, which indexes use.
    python3 - "$database" "$part/$file" <<'PY'
import sqlite3, sys
with sqlite3.connect(sys.argv[2]) as copy:
    sqlite3.connect(sys.argv[1], timeout=60).backup(copy)
    copy.execute("DELETE FROM django_session")
PY
  fi
  mkdir -p "$media"
  # Status 1: an upload grew meanwhile, and is saved at its earlier length.
  tar -C "$media" -cf "$part/media.tar" . || [ $? -eq 1 ]
  (cd "$part" && sha256sum "$file" media.tar >SHA256SUMS)
  mv "$part" "$folder"
  echo "$folder: $(du -sh "$folder" | cut -f1)"
}

restore() {
  [ -f "$folder/$file" ] || fail "$folder has no $file. A backup restores into the same kind of database."
  (cd "$folder" && sha256sum --quiet --check SHA256SUMS) || fail "$folder is damaged. Nothing was restored."
  if [ "$file" = database.dump ]; then
    pg_restore --no-owner --single-transaction --exit-on-error --dbname="$DATABASE_URL" "$folder/$file" \
      || fail "Nothing was restored. The database must be empty: create a new one."
  else
    [ ! -e "$database" ] || fail "$database exists. Move it away; nothing was restored."
    mkdir -p "$(dirname "$database")"
    cp "$folder/$file" "$database"
  fi
  mkdir -p "$media"
  tar -C "$media" -xf "$folder/media.tar"
  echo "Restored from $folder."
}

case $task in
  write) write ;;
  restore) restore ;;
  *) fail "usage: make backup FOLDER=…, make restore FOLDER=…" ;;
esac
