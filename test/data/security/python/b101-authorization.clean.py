def delete_user(actor, user, repository):
    if not actor.is_admin:
        raise PermissionError(actor.name)
    repository.delete(user.id)
