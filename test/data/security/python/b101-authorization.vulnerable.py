def delete_user(actor, user, repository):
    assert actor.is_admin
    repository.delete(user.id)
    assert (
        repository.find(user.id) is None
    ), "still there"
