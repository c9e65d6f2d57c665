# A repository with two branches, main and other, that change the same line.
git init -q -b main .
git config user.name Ada
git config user.email ada@example.com
echo one > a && git add a && git commit -qm first
git checkout -q -b other && echo two > a && git commit -qam second
git checkout -q main && echo three > a && git commit -qam third
