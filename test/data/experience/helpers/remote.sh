# A clone whose remote has moved on.
git init -q --bare -b main origin.git
for who in theirs ours; do
  git clone -q origin.git $who 2> /dev/null
  git -C $who config user.name Ada
  git -C $who config user.email ada@example.com
  [ $who = theirs ] && git -C $who commit -q --allow-empty -m first && git -C $who push -q origin HEAD:main
done
git -C theirs commit -q --allow-empty -m theirs && git -C theirs push -q
cd ours
git commit -q --allow-empty -m ours
